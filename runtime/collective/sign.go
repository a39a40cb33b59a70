package collective

import "encoding/binary"

// An Identity signs the statements of a rank, and checks those of others.
type Identity interface {
	Sign(message []byte) []byte
	Verify(rank int, message, signature []byte) bool // whether the rank has signed the message
}

// maxSignature is the maximum length of a signature in bytes.
const maxSignature = 128

// sign signs a report of this rank. What a rank has reported can then be shown to third ranks: see [decision].
func (g *Group) sign(r *report) *report {
	if g.config.Identity != nil {
		r.signature = g.config.Identity.Sign(g.statement(g.config.Self, r))
	}
	return r
}

// isSigned reports whether a rank has signed a report. Without identities nobody signs, and everything is believed.
func (g *Group) isSigned(rank int, r *report) bool {
	return g.config.Identity == nil || g.config.Identity.Verify(rank, g.statement(rank, r), r.signature)
}

// statement returns what a rank signs: its report at the end of the present epoch.
func (g *Group) statement(rank int, r *report) []byte {
	b := []byte("bbgen collective report\n")
	b = binary.AppendUvarint(b, uint64(g.epoch.Number))
	b = binary.AppendUvarint(b, uint64(g.epoch.View))
	b = binary.AppendUvarint(b, uint64(rank))
	return r.append(b)
}
