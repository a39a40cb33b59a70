package op_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
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
		m, err := ir.Parse("in.ir", "module \"m\"\nopset 23\nfunc @main("+tt.params+") -> (%y) {\n%y = "+tt.node+"\n}")
		if err != nil {
			t.Fatal(err)
		}
		n := m.Main.Body.Nodes[0]
		if err := (op.Inferrer{}).Infer(m, n); err != nil {
			t.Errorf("%s: %v", tt.node, err)
			continue
		}
		if got := op.Lookup(n).Work(n).String(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.node, got, tt.want)
		}
	}
}
