// Package explore plays random programs under random schedules of faults, in virtual time,
// and checks at each step what must always hold.
//
// A [Case] is plain data: a program, the peers that run it, and how bad their world is. It
// follows from a seed, it can be made smaller, and it gives the same steps each time. The
// programs are interpreted ([part]), so that each schedule has one of its own; that
// compiled programs do the same is what package simulate shows. What happens is counted by
// its kind (seen.go): a kind that is never drawn fails a test.
//
// What must hold, see watch.go: a peer takes each fill of an execution once, and each
// envelope once; nothing leaves a peer, and nothing is acknowledged, before it is durable,
// and then it is never lost; commands of a slot run one at a time; contributions come from
// those who were asked and stand in the order of ranks; what a round gives is what the plain
// computation says, and is told once; a round is repeated or left out only where the
// program says so; what an honest worker tells the relay is heard, however many executions
// insiders begin there; tables stay within their limits; all comes to rest soon after the
// last fault, beside insiders, too; a peer that is restored is what it was.
//
// Less is promised of a peer without a state directory: what it has taken, begun or
// acknowledged is lost when it dies. A worker that forgets is one that rounds can do without. A
// leader that forgets begins all its rounds again, and they give the same as before, as
// long as all workers take part; answers to what it asked before are too late. Of a peer
// that stops or leaves no more is expected than of one that is down: what it is asked then
// it may refuse.
//
// Limits are small, and large enough for what honest peers need in their share (limits.go).
package explore
