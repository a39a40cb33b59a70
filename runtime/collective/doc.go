// Package collective computes with values that each of several ranks has: their sum,
// mean or maximum on all ranks ([AllReduce]), a part of that on each ([ReduceScatter]),
// all of them on all ([AllGather]), one of them on all ([Broadcast]), the sum on one
// ([Reduce]), nothing but that all have come so far ([Barrier]), or the state of the others for
// those that join ([Enter]).
//
// A [Group] is one rank's view. It is a state machine without I/O, clock or goroutine:
// [Group.Begin], [Group.Receive] and [Group.Down] in, [Group.Pull] and [Group.Done] out.
// What carries its messages delivers each at least once, in any order.
//
// # Calls, chunks and steps
//
// A stream is one place of a program where all ranks call the same collective. Its
// calls are numbered on each rank, and calls of the same number belong together: ranks
// need not agree on anything else. Streams are independent of each other, so ranks may
// call on different streams in different orders.
//
// A value is divided into segments as the algorithm wants, and these into chunks. Each
// chunk has a plan: a short list of steps, the same on every run, that says to whom it is
// sent and whose chunk is added next. Chunks go through their plans independently, so
// several are in flight, and each sum has one order, fixed by algorithm, rank and number
// of ranks. So all ranks have the same bits, those of [Evaluate]. Sums of 16-bit floats are
// taken in float32 and rounded once.
//
// With a [Codec], values are encoded when a call begins, and what is sent, added to and given
// to others who lack it is encoded. Sums are taken in float32 and encoded once. All ranks
// decode the same bytes, also whoever had the sum. With feedback, what a value loses is added
// to the rank's next one on that stream, and what a sum loses to the next one where the same
// rank rounds that.
//
// A send waits in the plan until the host pulls it. So what is in flight to a rank is
// bounded by the host, and the chunk is read when it leaves. Large chunks are not copied:
// one that comes in counted memory is added to there, if its sum is sent on, and what is
// pulled is final as long as somebody has a share in it. A rank that is to send much
// to another one waits until that one has begun the call: what comes before a call has
// begun is small ([Config.Eager]), and the rest stands in the memory of the call.
//
// When a rank has its result it confirms that with the others, by dissemination: in
// ⌈log₂ n⌉ rounds each knows that all have theirs. Results that are the same on all ranks
// are given out before, the others only then. Until then a rank keeps its contribution and
// its result. One unconfirmed call and one that works are open on a stream; later ones wait.
//
// # Membership
//
// Ranks are numbered from 0, for ever. The members of an [Epoch] are those that take part,
// and each message says of which epoch it is. When a member is down, [IfLost] says what
// follows: with [Fail] the open calls and all later ones end with a [RankError]; with [Wait]
// nothing, as the rank comes back with its state; with [Repeat] the others go on:
//
//  1. A rank that knows of a member that is down stops what it does in the epoch, and
//     tells the others who is lost and which calls it has the results of. Who is told
//     does the same, and tells again when it learns of more.
//  2. When a rank has heard of all who are left that the same ranks are lost, the next
//     epoch begins, without those. It has heard what the others have heard, and decides
//     the same.
//  3. If any member has the result of a call, those that lack it get it from the lowest
//     such rank. If none has, all contribute again.
//
// Two ranks that begin the same epoch and count each other as members agree on its
// members: the sets that a rank tells of only grow, so of two that both have told one
// is part of the other. A rank that has begun an epoch tells those who are behind what
// was decided; who has given that rank up does not listen. Who is left without more than half of the members of the epoch stops with
// [ErrMinority], so that two parts of a broken network never both go on.
//
// A rank that waits long asks those whom it waits for. One that has stopped says so, and
// counts as lost; one that has been left out is told.
//
// # Joining
//
// Where there is a stream of [Enter], whose call begins each step, ranks join: those that
// begin again without their past ([Group.Forgot]), and those that come when the others have
// gone on. The first call of Enter waits for all, so such a rank learns there that it is no
// member. It asks all to be one. They agree on that as on who is lost, in the same reports,
// and on the first call of Enter that none of them has begun: what comes behind that has
// the rank in it, what comes before has not. When more than half of them have welcomed the
// rank it is a member. In that call the lowest of the others gives it its value, and the numbers
// of the calls to come. In all other calls of Enter nothing is sent.
//
// # Handles
//
// A [Session] is a group for several goroutines, whose streams are called by the ids of
// parameters: [Session.Start] begins a call and gives a [CollectiveTensor], whose result is
// waited for when it is needed. Many may be under way. No order of calls on the ranks makes
// them wait for each other for ever.
//
// # Trust
//
// A member's word that another one is lost is believed. All else that a message says is
// checked, and what is wrong with it is told with the rank that sent it.
package collective
