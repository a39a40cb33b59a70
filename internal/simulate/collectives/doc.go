// Package collectives runs random programs of collectives under random schedules of faults, in virtual time,
// and compares the results with the plain computation, [collective.Spec.Evaluate].
//
// A [Case] follows from a seed: some ranks, the collectives of each of some rounds, the policy for lost ranks,
// and the faults. Each rank makes the calls of a stage in an order of its own. The invariants:
//
//   - All results of a call are those of one set of ranks, and all ranks with a result are in the set. So no
//     two parts of a partitioned network continue with different values. An excluded rank may have one result
//     of a call that the others do not have, and after it one without elements.
//   - A call fails in which a rank makes a mistake, unless the others continue without that one.
//   - A restarted rank reports the same results as before.
//   - If ranks wait for lost ones, each has all results, of all ranks, whatever the crashes.
//   - If they continue without ranks that leave, the others have all results. They may end with an error only if no more than
//     half of the ranks stay, or if a root leaves. As long as a majority stays, they all end at the same call.
//   - A rank that tells each of the others something else about its links, from which they choose an algorithm, has no
//     effect on results, and no other rank is refused.
//   - No rank waits for ever: it has all results, or an error.
//   - At the end, no message is left to send.
package collectives
