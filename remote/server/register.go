package server

import "github.com/bbgen/bbgen/remote/protocol"

// register stores a received tensor under its number.
func (x *session) register(s *stream, m *protocol.Message, b body) {
	out, err := x.store.add(m.Out)
	if err != nil {
		s.note(failed("register", err))
		if b.tensor != nil {
			x.memory.Give(b.bytes)
		}
		return
	}
	defer releaseAll(out)
	if b.refused != nil {
		f := failed("register", b.refused)
		s.note(f)
		out[0].fail(f)
		return
	}
	out[0].fill(b.tensor)
}
