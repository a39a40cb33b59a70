// Package trust is who may take part: a peer's key and what it signs, the list of members,
// and the invitations by which somebody becomes one.
//
// A [Members] list is in memory, and as far as it must outlive the process in a state
// directory; who is asked about never waits for that file. A [Token] is handed from one
// person to another; its holder proves it once, to its issuer ([Members.Redeem]). [Self] is
// what a peer writes down of itself for its next start and for who invites in its name.
// [Guests] is the same for a server that is no peer.
//
// The package opens no connection: channels have proven their keys before anybody is asked
// for here.
package trust
