package op_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
)

// TestWork counts the operations of single nodes.
func TestWork(t *testing.T) {
	tests := []struct{ params, node, want string }{
		{"%a: float32[n,3], %b: float32[3,4]", "MatMul(%a, %b)", "24*n"},
		{"%a: float32[3], %b: float32[3,4]", "MatMul(%a, %b)", "24"},
		{"%a: float32[3,n], %b: float32[3,4]", "Gemm(%a, %b) {transA = 1}", "24*n"},
		{"%x: float32[n,4,8,8], %w: float32[6,2,3,3]", "Conv(%x, %w) {group = 2}", "7776*n"},
		{"%x: float32[n,4,8,8], %w: float32[4,3,2,2]", "ConvTranspose(%x, %w) {strides = [2, 2]}", "6144*n"},
		{"%d: float32[n,6,6,6], %w: float32[6,2,3,3], %x: float32[n,4,8,8]", "ai.bbgen:ConvGradInput(%d, %w, %x) {group = 2}", "7776*n"},
		{"%d: float32[n,6,6,6], %x: float32[n,4,8,8], %w: float32[6,2,3,3]", "ai.bbgen:ConvGradWeight(%d, %x, %w) {group = 2}", "7776*n"},
		{"%x: float32[n,4,8,8]", "MaxPool(%x) {kernel_shape = [2, 2], strides = [2, 2]}", "256*n"},
		{"%x: float32[n,4,8,8]", "GlobalAveragePool(%x)", "256*n"},
		{"%x: float32[n,4]", "Softmax(%x)", "20*n"},
		{"%q: float32[n,2,5,4], %k: float32[n,2,7,4], %v: float32[n,2,7,3]", "Attention(%q, %k, %v)", "980*n"},
		{"%x: float32[t,1,3], %w: float32[1,8,3], %r: float32[1,8,2]", "LSTM(%x, %w, %r) {hidden_size = 2}", "80*t"},
	}
	for _, tt := range tests {
		n := node(t, tt.params, tt.node)
		if got := op.Lookup(n).Work(n).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.node, got, tt.want)
		}
	}
}

// TestTraffic counts the bytes of single nodes.
func TestTraffic(t *testing.T) {
	tests := []struct{ params, node, want string }{
		{"%a: float32[n,3], %b: float32[3,4]", "MatMul(%a, %b)", "28*n+48"},
		{"%a: float32[n,3]", "Mul(%a, %a)", "24*n"},
		{"%x: float32[1000,8], %i: int64[n]", "Gather(%x, %i)", "72*n"},
		{"%x: float32[n,8], %s: int64[2]", "Reshape(%x, %s)", "0"},
		{"%x: float16[n]", "Relu(%x)", "4*n"},
		{"%x: float32[n,4], %base: float32[n,64]", "ai.bbgen:ColumnsInto(%x, %base) {at = 8}", "32*n"},
	}
	for _, tt := range tests {
		n := node(t, tt.params, tt.node)
		if got := op.Lookup(n).Traffic(n).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.node, got, tt.want)
		}
	}
}

// node returns a node of a function with the given parameters, with its types.
func node(t *testing.T, params, text string) *ir.Node {
	t.Helper()
	m, err := ir.Parse("in.ir", "module \"m\"\nopset 23\nfunc @main("+params+") -> (%y) {\n%y = "+text+"\n}")
	if err != nil {
		t.Fatal(err)
	}
	n := m.Main.Body.Nodes[0]
	if err := (op.Inferrer{}).Infer(m, n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}
