import { useState, type ReactNode } from "react";
import styles from "./panel.module.css";

type PanelProps = { title: string; children: ReactNode; startsOpen?: boolean };

/** A box that opens and closes when its title is clicked. */
export function Panel({ title, children, startsOpen = false }: PanelProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <section className={styles.panel}>
      <button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{title}</button>
      {isOpen && <div>{children}</div>}
    </section>
  );
}

export const Badge = ({ count }: { count: number }) => {
  const label = count > 99 ? "more than ninety-nine unread messages" : `${count} unread messages`;
  return <span className={styles.badge} aria-label={label}>{count}</span>;
};
