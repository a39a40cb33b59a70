package server

import (
	"github.com/bbgen/bbgen/remote/exec"
	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/cpu"
)

// describe answers with the properties and limits of the server.
func (x *session) describe(m *protocol.Message) {
	text := func(name, value string) protocol.Attr { return protocol.Attr{Name: name, Value: value} }
	number := func(name string, value int) protocol.Attr { return protocol.Attr{Name: name, Value: int64(value)} }
	list := func(name string, value []string) protocol.Attr { return protocol.Attr{Name: name, Value: value} }
	x.link.Post(&protocol.Message{Kind: protocol.Answer, To: m.To, Attrs: []protocol.Attr{
		text("level", cpu.CurrentLevel().String()),
		number("threads", cpu.Threads()),
		number("devices", len(x.server.devices)),
		number("memory", x.client.memory[x.device].limit),
		number("used", x.client.memory[x.device].inUse()),
		list("dtypes", exec.DTypes()),
		list("operators", exec.Operators()),
	}}, nil)
}
