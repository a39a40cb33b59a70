// Package explore plays random programs under random schedules of faults, in virtual time,
// and checks at each step what must always hold.
//
// A [Case] is plain data: a program, the peers that run it, and how bad their world is. It
// follows from a seed, it can be made smaller, and it gives the same steps each time. The
// programs are interpreted ([part]), so that each schedule has one of its own; that
// compiled programs do the same is what package simulate shows.
//
// What must hold, see watch.go: a peer takes each fill of an execution once; nothing
// leaves a peer, and nothing is acknowledged, before it is durable, and then it is never
// lost; commands of a slot run one at a time; contributions come from those who were asked
// and stand in the order of ranks; what a round gives is what the plain computation says,
// and is told once; tables stay within their limits; all comes to rest soon after the last
// fault; a peer that is restored is what it was.
package explore
