package dsl_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/op/peer"
)

// Giver sends its input in one way after the other.
type Giver struct {
	Noise  dsl.Component
	Codec  dsl.CodecSlot
	Gossip dsl.Protocol
}

func (s Giver) Body(g *dsl.Graph) {
	x := g.Input("x", dsl.Float32(4))
	to := g.Peers("taker")
	g.NetOut("half", to, x, dsl.Codec("float16"))
	g.NetOut("coded", to, x, dsl.Through(s.Codec))
	g.NetOut("noisy", to, x, dsl.Via(s.Noise, "Blur"))
	g.Output("score", s.Gossip.Call(g, "Score", dsl.Float32(), x))
}

// Taker returns what arrives.
type Taker struct{ Codec dsl.CodecSlot }

func (Taker) Body(g *dsl.Graph) {
	for _, name := range []string{"half", "coded", "noisy"} {
		g.Output("got_"+name, g.Input(name, dsl.Float32(4)))
	}
}

// TestEdgeOptions checks what stands on both sides of edges, and what is sent on them.
func TestEdgeOptions(t *testing.T) {
	b, err := dsl.Build(dsl.Program{Name: "ways", Modules: []dsl.Module{
		Giver{Noise: dsl.Component{Bind: part}, Codec: dsl.CodecSlot{Bind: part}, Gossip: dsl.Protocol{Bind: part}},
		Taker{Codec: dsl.CodecSlot{Bind: part}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("ways.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var nodes []string
	sent := map[string]string{} // the type that is sent, by port
	for _, f := range m.Funcs {
		f.Body.Walk(func(n *ir.Node) {
			nodes = append(nodes, strings.TrimSpace(n.Op+" "+n.Str("method")))
			if n.Domain == peer.WireDomain && n.Op == "Send" {
				sent[n.Str("port")] = n.In[0].Type.String()
			}
		})
	}
	want := "Peers, Cast, Send, Encode, Send, Call Blur, Send, Call Score, Decode, Cast, PassThrough, PassThrough, PassThrough"
	if got := strings.Join(nodes, ", "); got != want {
		t.Errorf("nodes are\n%s, want\n%s", got, want)
	}
	if want := map[string]string{"half": "float16[4]", "coded": "uint8[giver_encoded_n]", "noisy": "float32[4]"}; !maps.Equal(sent, want) {
		t.Errorf("sent are %v, want %v", sent, want)
	}
}
