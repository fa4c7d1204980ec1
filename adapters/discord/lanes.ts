import pLimit, { type LimitFunction } from "p-limit";

/** Does what belongs to one channel in order, and different channels side by side. */
export function createLanes(): <Result>(lane: string, work: () => Promise<Result>) => Promise<Result> {
  const lanes = new Map<string, LimitFunction>();
  return async (lane, work) => {
    const limit = lanes.get(lane) ?? pLimit(1);
    lanes.set(lane, limit);
    try {
      return await limit(work);
    } finally {
      if (limit.activeCount + limit.pendingCount === 0) lanes.delete(lane);
    }
  };
}
