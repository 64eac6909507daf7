import { alertProblems } from './alert-checks.ts';
import { deploy, type Deployment } from './deployment.ts';
import { descriptionProblems, nameProblems } from './names-checks.ts';
import { dependencyProblems, namingProblems, typeProblems } from './resource-checks.ts';
import { ledgerProblems, roleProblems, securityProblems } from './security-checks.ts';
import { settingProblems } from './settings-checks.ts';
import { exampleParameters, otherCloudParameters, type Template } from './template.ts';

/**
 * Everything that is wrong with the template as far as can be told without Azure and without its
 * schemas, in both of its forms: with a store of its own, and with one in the other cloud.
 */
export function problemsOf(template: Template): readonly string[] {
  const ownStore = deploy(template, exampleParameters);
  const otherCloud = deploy(template, otherCloudParameters);
  return [
    ...nameProblems(template),
    ...descriptionProblems(template),
    ...dependencyProblems(ownStore),
    ...namingProblems(template, ownStore),
    ...ledgerProblems(ownStore),
    ...deploymentProblems(ownStore),
    ...deploymentProblems(otherCloud),
  ];
}

function deploymentProblems(deployment: Deployment): readonly string[] {
  return [
    ...deployment.problems,
    ...typeProblems(deployment),
    ...securityProblems(deployment),
    ...roleProblems(deployment),
    ...settingProblems(deployment),
    ...alertProblems(deployment),
  ];
}
