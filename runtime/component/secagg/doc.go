// Package secagg implements secure aggregation: a server gets the sum of the peers' vectors, and learns nothing
// about single ones. It is the protocol of K. Bonawitz and others, "Practical Secure Aggregation for
// Privacy-Preserving Machine Learning", 2017, in which each peer shares secrets only with some others, as in J.
// Bell and others, "Secure Single-Server Aggregation with (Poly)Logarithmic Overhead", 2020.
//
// A round has five requests, which a program makes with [Client], [Collect], [Sum] and [Server]
// (examples/private):
//
//  1. Keys: each peer makes keys for the round, and signs them with its identity.
//  2. Shares: each peer gets the list of participants, and gives its neighbors shares of its secrets,
//     encrypted.
//  3. Mask: each peer adds to its vector one mask for each neighbor, which that neighbor subtracts, and one of
//     its own.
//  4. Agree: each peer gets the list of vectors in the sum, and signs it, or makes a tag of it for each other peer.
//  5. Reveal: each peer checks that the others agree on the same list, and reveals its shares of each
//     neighbor: of the neighbor's own mask, if the neighbor's vector is in the sum; otherwise of the masks that
//     its neighbors have added for it.
//
// The key for messages lasts as long as a peer's secret, so that peers agree on a secret and check a signature of that key once,
// not in each round. In later rounds the secret of two peers authenticates everything between them: the list of participants when
// they give shares, and the list that they agree on, in place of signatures, if all are neighbors. What is encrypted or
// authenticated is bound to the round. All other keys are new in each round. Peers of versions whose keys for messages are new in
// each round take part: a bit of the lasting key, which X25519 ignores, says what it is.
//
// Each peer shares secrets with all others if there are at most 49. In larger rounds it has fewer neighbors, between 48
// and 254, so many that the probability of revealing more than the sum is below 2⁻⁴⁰ as long as fewer than a third of the
// peers help the server and at most a tenth are lost.
//
// Peers may be lost at any step, as long as two thirds of those that have given shares remain, and of the
// neighbors of each. A server that tells peers different lists is detected, as long as less than a third of the
// peers help it: by the fourth step, and because no secret can be reconstructed from shares of peers with
// different lists. The server can choose the participants: [Client.Least] and [Client.Members] bound that
// choice. The server and each peer can make a round fail.
package secagg
