import type { Clock } from "./clock";
import { EventEmitter } from "events";

/** How often a job may be tried, and how long to wait in between. */
export interface RetryPolicy {
  attempts: number;
  firstDelayMs: number;
  backoff(attempt: number): number;
  onGiveUp?(error: Error): void;
}

export type JobState = "waiting" | "running" | "done" | "failed";

export enum Priority { Low, Normal, High }

export namespace Delays {
  export function doubling(firstDelayMs: number): (attempt: number) => number {
    return (attempt) => firstDelayMs * 2 ** (attempt - 1);
  }
}

@Injectable()
export abstract class JobQueue<T extends object> extends EventEmitter implements Disposable {
  private readonly jobs: T[] = [];
  protected state: JobState = "waiting";

  constructor(private readonly clock: Clock, private readonly policy: RetryPolicy) {
    super();
    this.setMaxListeners(policy.attempts);
    this.clock.every(1_000, () => this.emit("tick"));
  }

  abstract run(job: T): Promise<void>;

  /** Runs one job and tries again after each failure, until the policy gives up. */
  async runWithRetry(job: T): Promise<void> {
    for (let attempt = 1; attempt <= this.policy.attempts; attempt++) {
      try {
        return await this.run(job);
      } catch (error) {
        await this.clock.sleep(this.policy.backoff(attempt));
      }
    }
    this.policy.onGiveUp?.(new Error("gave up on " + JSON.stringify(job)));
  }

  handleTick = (): void => {
    const next = this.jobs.shift();
    if (next !== undefined && this.state === "waiting") {
      void this.runWithRetry(next).then(() => this.emit("done", next));
    }
  };
}
