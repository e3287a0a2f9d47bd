// A plug-in detector that finds employee ids such as `EMP-123456`.

const ID = /EMP-\d{6}/g;
const utf8 = new TextEncoder();

export function detect({ content, name }) {
  // In `{"employee": "123456"}` the name says what the value is.
  if (name === "employee" && /^\d{6}$/.test(content)) {
    return [employeeId(content, 0, content.length)];
  }
  return [...content.matchAll(ID)].map((match) => employeeId(content, match.index, match[0].length));
}

/** Offsets are bytes of UTF-8; JavaScript counts UTF-16. */
function employeeId(content, at, length) {
  const start = utf8.encode(content.slice(0, at)).length;
  return { start, end: start + length, entity: "EMPLOYEE_ID", score: 95 };
}
