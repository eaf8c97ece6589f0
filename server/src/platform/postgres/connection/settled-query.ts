import pg from 'pg';

/** The statement that makes the session settings, until the end of its transaction. */
export interface SettingsStatement {
  readonly name: string;
  readonly text: string;
}

/** Private parts of the driver's query and connection. */
interface Internals {
  name: string | undefined;
  queryMode: string | undefined;
  prepare: (connection: DriverConnection) => void;
  handleDataRow: (message: object) => void;
  handleCommandComplete: (message: object, connection: DriverConnection) => void;
}

interface DriverConnection {
  parse: (statement: { name: string; text: string }) => void;
  bind: (portal: { portal: string; statement: string }) => void;
  execute: (portal: { portal: string }) => void;
  /** The text of each prepared statement by its name. */
  parsedStatements: Record<string, string>;
}

const driver = pg.Query.prototype as unknown as Internals;

/**
 * A statement that makes the session settings first, in the same implicit transaction and the same round trip: between
 * two Sync messages a pooler in transaction mode cannot change the session, and settings of `set_config(…, true)` hold.
 * Where the statement is prepared, so is that of the settings.
 */
export class SettledQuery extends pg.Query {
  readonly #settings: SettingsStatement;
  #isSettled = false;

  constructor(settings: SettingsStatement, ...query: ConstructorParameters<typeof pg.Query>) {
    super(...query);
    this.#settings = settings;
    // Also a statement without values is one of the extended protocol.
    (this as unknown as Internals).queryMode = 'extended';
  }

  /** Whether the settings are made, so that the answers that follow are those to the statement itself. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  prepare(connection: DriverConnection): void {
    const { name, text } = this.#settings;
    const statement = this.#isPrepared ? name : '';
    if (statement === '' || connection.parsedStatements[name] !== text) connection.parse({ name: statement, text });
    connection.bind({ portal: '', statement });
    connection.execute({ portal: '' });
    driver.prepare.call(this, connection);
  }

  handleDataRow(message: object): void {
    if (this.#isSettled) driver.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: object, connection: DriverConnection): void {
    if (this.#isSettled) {
      driver.handleCommandComplete.call(this, message, connection);
      return;
    }
    this.#isSettled = true;
    if (this.#isPrepared) connection.parsedStatements[this.#settings.name] = this.#settings.text;
  }

  get #isPrepared(): boolean {
    return Boolean((this as unknown as Internals).name);
  }
}
