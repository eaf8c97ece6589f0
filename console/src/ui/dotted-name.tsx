import classes from './dotted-name.module.css';

/** The name of an event or an action, `invoice.finalized`: a narrow column breaks it after the dot, and nowhere else. */
export function DottedName({ name }: { name: string }) {
  return (
    <span className={classes.name}>
      {name.split(/(?<=\.)/).map((part) => (
        <span key={part}>{part}</span>
      ))}
    </span>
  );
}
