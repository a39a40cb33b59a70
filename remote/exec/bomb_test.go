package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Constants that double with each node are not folded beyond the client's memory: the run is refused before
// large memory is allocated.
func TestConstantsThatDouble(t *testing.T) {
	var text strings.Builder
	text.WriteString("func @main(%x: float32[1]) -> (%y) {\n  const %c0: float32[4] = [1, 2, 3, 4]\n")
	const doublings = 34 // to 256 GiB
	for i := range doublings {
		fmt.Fprintf(&text, "  %%c%d = Concat(%%c%d, %%c%d) {axis = 0}\n", i+1, i, i)
	}
	fmt.Fprintf(&text, "  %%s = ReduceMax(%%c%d) {keepdims = 0}\n  %%y = Add(%%x, %%s)\n}", doublings)
	g := parse(t, text.String())
	b := &budget{limit: 1 << 22}
	g.memory = b
	if _, err := g.Run(context.Background(), []*tensor.Tensor{vec(1)}); err == nil {
		t.Error("got no error")
	}
	g.Close()
	if b.used != 0 {
		t.Errorf("%d bytes stay taken", b.used)
	}
}

// A string that doubles with each node takes a client's memory, and is refused when that is used up.
func TestStringsThatDouble(t *testing.T) {
	var text strings.Builder
	text.WriteString("func @main(%s0: string[1]) -> (%y) {\n")
	const doublings = 40 // to a terabyte
	for i := range doublings {
		fmt.Fprintf(&text, "  %%s%d = StringConcat(%%s%d, %%s%d)\n", i+1, i, i)
	}
	fmt.Fprintf(&text, "  %%y = Identity(%%s%d)\n}", doublings)
	g := parse(t, text.String())
	b := &budget{limit: 1 << 22}
	g.memory = b
	if _, err := g.Run(context.Background(), []*tensor.Tensor{tensor.Of([]string{"x"}, 1)}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
	g.Close()
	if b.used != 0 {
		t.Errorf("%d bytes stay taken", b.used)
	}
}

// The cost of a model is the memory for decoding it: little more than its weights, but much more than its
// bytes if it is mostly structure.
func TestDecodeCost(t *testing.T) {
	part := func(number protowire.Number, p []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), p)
	}
	weights := part(7, part(5, part(9, make([]byte, 1<<20))))
	if got := decodeCost(weights); got < 1<<20 || got > 1<<20+1<<13 {
		t.Errorf("a model of weights costs %d bytes, want hardly more than 1 MiB", got)
	}
	var nodes []byte
	for range 1000 {
		nodes = append(nodes, part(1, nil)...)
	}
	model := part(7, nodes)
	if got := decodeCost(model); got < 200_000 {
		t.Errorf("a model of 1,000 nodes costs %d bytes, want what they take in memory", got)
	}
	b := &budget{limit: 100_000}
	if _, err := Decode("bomb", model, b); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
	if b.used != 0 {
		t.Errorf("%d bytes stay taken", b.used)
	}
}

// Functions that each call the next one twice take a client's memory for the nodes that they stand for.
func TestCallsThatDouble(t *testing.T) {
	const doublings = 16
	m, err := ir.Parse("m.ir", doubled(doublings))
	if err != nil {
		t.Fatal(err)
	}
	model, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	b := &budget{limit: 1 << 22}
	g, err := Decode("m", model, b)
	if !errors.Is(err, errFull) || g != nil {
		t.Errorf("a model of %d bytes: got %v and %v, want %v and no graph, which gives back memory", len(model), err, g, errFull)
	}
	if b.used != 0 {
		t.Errorf("%d bytes stay taken", b.used)
	}
}

// doubled returns functions of which each calls the next one twice.
func doubled(n int) string {
	var text strings.Builder
	text.WriteString("module \"m\" opset 22, d 1\nfunc @main(%x: float32[1]) -> (%y) {\n  %y = call d:f0(%x)\n}\n")
	for i := range n {
		fmt.Fprintf(&text, "func @d:f%d(%%a%d) -> (%%c%d) {\n  %%b%d = call d:f%d(%%a%d)\n  %%c%d = call d:f%d(%%b%d)\n}\n", i, i, i, i, i+1, i, i, i+1, i)
	}
	fmt.Fprintf(&text, "func @d:f%d(%%a) -> (%%b) {\n  %%b = Neg(%%a)\n}\n", n)
	return text.String()
}
