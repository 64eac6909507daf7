/** The part of sql.js that the README's test calls; its own types need a browser's. */
declare module 'sql.js' {
  export interface Database {
    run(sql: string, parameters?: Readonly<Record<string, string | number>>): void;
    getRowsModified(): number;
    exec(sql: string): readonly { readonly values: readonly (readonly unknown[])[] }[];
  }
  const initSqlJs: () => Promise<{ readonly Database: new () => Database }>;
  export default initSqlJs;
}
