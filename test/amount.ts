/** How many: `all` with `npm run test:long` (LONG=1), else as `few` as still show what is to be shown. */
export function amount<Amount = number>(all: Amount, few: Amount): Amount {
  return process.env["LONG"] === "1" ? all : few;
}
