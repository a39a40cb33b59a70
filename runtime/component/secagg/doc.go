// Package secagg is secure aggregation: a server gets the sum of what peers send, and of
// no single peer anything. It is the protocol of K. Bonawitz and others, "Practical Secure
// Aggregation for Privacy-Preserving Machine Learning", 2017, where each peer shares
// secrets with some others alone, as in J. Bell and others, "Secure Single-Server
// Aggregation with (Poly)Logarithmic Overhead", 2020.
//
// A round has five questions, which a program asks with [Client], [Collect], [Sum] and
// [Server] (examples/private):
//
//  1. Keys: each peer makes keys for the round, and signs them as itself.
//  2. Shares: it is told who is there, and gives its neighbors shares of its secrets,
//     encrypted.
//  3. Mask: it adds to its vector one mask for each neighbor, which that one takes away,
//     and one of its own.
//  4. Agree: it is told whose vectors are in the sum, and signs that.
//  5. Reveal: it sees that the others have signed the same, and gives away what it has of
//     each neighbor: its own mask, if its vector is in the sum; otherwise the masks that
//     its neighbors have added for it.
//
// Peers may be lost at any step, as long as two thirds of those that have given shares are
// left, and of the neighbors of each. A server that tells peers different things is found
// out, as long as less than a third of the peers help it: by the fourth step, and because
// no secret can be put together from the shares of those who believe one thing and of those
// who believe another. What it can do is choose who is asked: [Client.Least] and
// [Client.Members] bound that. It can also have a round fail, as each peer can.
package secagg
