/** SQL: the metadata of a row has each of the values of a JSON object, compared as text. */
export const hasMetadata = (column: string, wanted: string) =>
  `not exists (select from json_each_text(${wanted}) as wanted where (${column} ->> wanted.key) is distinct ` +
  'from wanted.value)';
