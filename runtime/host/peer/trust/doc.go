// Package trust manages which peers may take part: a peer's key and signatures, the list of members, and the
// invitations by which a peer becomes a member.
//
// A [Members] list is in memory and, as far as it must outlive the process, in a state directory; lookups never
// wait for that file. A [Token] is passed from one person to another; its holder proves it once, to its issuer
// ([Members.Redeem]). [Self] is what a peer records about itself for its next start and for commands that
// invite in its name. [Guests] is an allow-list for a server that is no peer.
//
// The package opens no connection: channels prove keys before they are looked up here.
package trust
