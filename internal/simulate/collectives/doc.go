// Package collectives plays random programs of collectives under random schedules of
// faults, in virtual time, and compares what comes of them with the plain computation,
// [collective.Spec.Evaluate].
//
// A [Case] follows from a seed: some ranks, the collectives that they compute in each of
// some rounds, what follows when a rank is lost, and how bad the world is. Each rank makes
// the calls of a stage in an order of its own. What must hold:
//
//   - All results of a call are those of one set of ranks, and all that have a result are
//     in the set. So no two parts of a broken network go on with different values. A rank
//     that the others have gone on without may have one result that they have not.
//   - A rank that starts again tells no result differently from before.
//   - Where ranks wait for each other, each has all results, of all ranks, whoever crashes.
//   - Where they go on without those that leave, the others have all results.
//   - Whatever happens, no rank waits for ever: it has all results, or an error.
//   - When all is over, nothing is left to send.
package collectives
