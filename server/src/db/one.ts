/** The only row of a result that always has one. @throws Error for none, or several */
export function one<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`)
  return row
}
