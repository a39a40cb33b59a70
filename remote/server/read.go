package server

import "github.com/bbgen/bbgen/remote/protocol"

// read answers with tensors, all of them or none. The numbers refer to the tensors at the time of the
// message.
func (x *session) read(s *stream, m *protocol.Message) {
	slots, f := x.store.get(m.In)
	if f != nil {
		f.Op = "read"
		x.enqueue(s, func() { x.answer(m, f) })
		return
	}
	x.enqueue(s, func() {
		tensors, f := x.inputs(slots)
		copies := 0 // of strings and of elements of few bits: a message could ask for thousands
		for _, t := range tensors {
			if t != nil {
				copies += protocol.Copied(t)
			}
		}
		if f == nil {
			if err := x.memory.Take(copies); err != nil {
				f = failed("read", err)
			}
		}
		if f != nil {
			releaseAll(slots)
			x.answer(m, f)
			return
		}
		reply := &protocol.Message{Kind: protocol.Answer, To: m.To}
		var parts [][]byte
		for _, t := range tensors {
			if t == nil {
				continue
			}
			typ, b := protocol.TypeOf(t)
			reply.Tensors, parts = append(reply.Tensors, typ), append(parts, b)
			reply.Bytes += typ.Bytes
		}
		x.link.Post(reply, func() {
			releaseAll(slots)
			x.memory.Give(copies)
		}, parts...)
	})
}
