// Package explore runs random programs under random schedules of faults, in virtual time, and checks invariants
// at each step.
//
// A [Case] is plain data: a program, the peers that run it, and faults. It follows from a seed, it can be
// minimized, and it gives the same steps each time. The programs are interpreted ([part]), so that each
// schedule has one of its own; package simulate shows that compiled programs behave in the same way. Events are
// counted by kind (seen.go): a kind that never occurs fails a test.
//
// The invariants, see watch.go: a peer takes each fill of an execution once, and each envelope once; nothing is
// sent or acknowledged before it is durable, and then it is never lost; commands of a slot run one at a time;
// contributions come from the asked peers and are in the order of ranks; the result of a round is that of the
// plain computation, and is reported once; a round is repeated or skipped only as the program says; the relay
// receives the messages of honest workers, however many executions insiders begin there; tables stay within
// their limits; all peers become idle soon after the last fault, also with insiders; a restored peer has the
// same state as before.
//
// A peer without a state directory has weaker guarantees: the fills that it has taken and acknowledged, and the
// executions that it has begun, are lost when it dies. A worker without state is one without which rounds can
// complete. A leader without state begins all its rounds again, with the same results, as long as all workers
// take part; answers to its earlier requests are late. A peer that stops or leaves has the guarantees of one
// that is down: it may refuse requests.
//
// Limits are small, but large enough for the share of honest peers (limits.go).
package explore
