import classes from './dotted-name.module.css';

/** The name of an event or an action, such as `invoice.finalized`. A narrow column breaks it only after the dot. */
export function DottedName({ name }: { name: string }) {
  return (
    <span className={classes.name}>
      {name.split(/(?<=\.)/).map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}
