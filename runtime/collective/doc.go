// Package collective implements collective operations on the values of several ranks: their sum, mean or
// maximum on all ranks ([AllReduce]), a part of it on each ([ReduceScatter]), all values on all ranks
// ([AllGather]), one value on all ([Broadcast]), the sum on one ([Reduce]), only synchronization ([Barrier]),
// or the state of the others for joining ranks ([Enter]).
//
// A [Group] is one rank's view. It is a state machine without I/O, clock or goroutine: [Group.Begin],
// [Group.Receive] and [Group.Down] are its inputs, [Group.Pull] and [Group.Done] its outputs. The caller
// delivers each message at least once, in any order.
//
// # Calls, chunks and steps
//
// A stream is one place of a program where all ranks call the same collective. Its calls are numbered on each
// rank, and calls of the same number are matched: ranks need not agree on anything else. Streams are
// independent of each other, so ranks may call on different streams in different orders.
//
// A value is divided into segments by the algorithm, and these into chunks. Each chunk has a plan: a short list
// of steps with the receivers of the chunk and the chunks that are added to it. Chunks are processed independently,
// so several are in flight. Each sum has one order, which follows from the spec, the size and the number of ranks: so
// all ranks have the same bits, those of [Spec.Evaluate]. Sums of 16-bit floats are computed in float32 and rounded
// once.
//
// Among the algorithms that add in that order, the one is chosen that takes the shortest time by a model of the
// latency and bandwidth of [Links] (Thakur et al. 2005), and of the work of ranks that share a processor. All ranks must
// choose the same one, so they agree on the slowest links: see links.go.
//
// With a [Codec], values are encoded when a call begins, and messages hold encoded values. Sums are computed in
// float32 and encoded once. All ranks decode the same bytes, including the rank that computed the sum. With
// feedback, the rounding error of a value is added to the rank's next one on that stream, and the error of a
// sum to the next one that the same rank rounds.
//
// A send waits in the plan until the host pulls it. So the host bounds the bytes in flight to a rank, and a
// chunk is read when it is sent. Large chunks are not copied: a received chunk in memory with a reference
// count is overwritten by a sum that is sent on, and the data of a pulled message are not changed while a
// reference to their memory is held. A rank with more than [Config.Eager] bytes for another one waits until
// that one has begun the call: so messages for a call that has not begun are small, and later ones arrive in
// the memory of the call.
//
// When a rank has its result it confirms that to the others, by dissemination: in ⌈log₂ n⌉ rounds each knows
// that all have theirs. Results that are the same on all ranks are delivered before that, the others only then.
// Until then a rank keeps its contribution and its result. At most one unconfirmed call and one working call
// are open on a stream; later ones wait.
//
// # Membership
//
// Ranks are numbered from 0, for ever. The members of an [Epoch] are the ranks that take part, and each message
// contains its epoch. When a member is down, [IfLost] is the policy: with [Fail] the open calls and all later
// ones end with a [RankError]; with [Wait] the others wait, as the rank comes back with its state; with
// [Repeat] the others continue:
//
//  1. A rank that learns of a lost member stops its calls of the epoch, and tells the others which ranks are
//     lost and of which calls it has the results. The receivers do the same, and repeat it when they learn of
//     more.
//  2. When a rank has heard from all remaining members that the same ranks are lost, it begins the next epoch
//     without those. It has the same information as the others, and makes the same decision.
//  3. If any member has the result of a call, the members without it get it from the lowest such rank. If none
//     has, all contribute again. A call whose root is lost then fails with [ErrRootLost] on all members. A call that
//     has failed at a member fails where its result is not delivered yet.
//
// Two ranks that begin the same epoch and count each other as members agree on its members: the sets that a
// rank reports only grow, so of two sets that both have reported one contains the other. A rank that has begun
// an epoch sends the decision to members that are behind; ranks that consider it lost ignore it. If at most
// half of the members of the epoch remain, they stop with [ErrMinority], so that two parts of a broken network
// never both continue.
//
// A rank that waits long asks the ranks for which it waits. A rank that has stopped answers that, and counts as
// lost; an excluded rank is told.
//
// # Joining
//
// If there is a stream of [Enter], whose call begins each step, ranks can join: those that restart without
// their state ([Group.Restarted]), and those that connect after the others have continued without them. The first
// call of Enter waits for all, so such a rank learns there that it is no member. It asks all to admit it. When the first
// of them calls Enter, between two steps, they agree on that in the same way as on lost ranks, in the same reports, and
// on the first call of Enter that none of them has begun: the rank takes part from there on. Each report contains the
// largest number of calls that its rank has heard of, and the epoch ends when all contain the same one: so a rank that
// tells others different numbers changes nothing but how late the rank joins. When more than half of the members have
// welcomed the rank, it is a member. In that call the lowest of the others sends it its value, and the numbers of the next
// calls. In all other calls of Enter nothing is sent.
//
// # Handles
//
// A [Session] is a group for several goroutines, with streams that are identified by parameter ids:
// [Session.Start] begins a call and returns a [CollectiveTensor], which waits for the result when it is needed.
// Many calls can be active. Ranks never deadlock, in whatever order they call.
//
// # Trust
//
// A member's statements that another one is lost, how slow its links are, and which results it has, are believed. If it tells
// others different things about its links, which nobody can prove, they stop to believe any: calls are repeated by algorithms
// that do not depend on links. What it says of the reports of others, in a decision that it passes on, must be signed by these
// ([Identity]). Everything else in a message is checked, and an error names the rank that sent it.
package collective
