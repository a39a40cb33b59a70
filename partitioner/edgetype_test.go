package partitioner

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// Both ends of an edge have a say in the type of its values: a size is fixed if both fix it, and the receiver names the others.
func TestEdgeType(t *testing.T) {
	for _, c := range []struct{ sent, want, edge, canonical, err string }{
		{"float32[4]", "float32[4]", "float32[4]", "float32[4]", ""},
		{"float32[4]", "float32[n]", "float32[n]", "float32[?]", ""},
		{"float32[n]", "float32[4]", "float32[n]", "float32[?]", ""},
		{"float32[n,4]", "float32[m,4]", "float32[m,4]", "float32[?,4]", ""},
		{"float32[2*n]", "float32[m]", "float32[m]", "float32[?]", ""},
		{"float32[]", "float32[]", "float32[]", "float32[]", ""},
		{"float32[?]", "float32[m]", "float32[m]", "float32[?]", ""},
		{"float32[4]", "float32[?]", "float32[?]", "float32[?]", ""},
		{"!trigger", "!trigger", "!trigger", "!trigger", ""},
		{"float32[4]", "float32[5]", "", "", "axis 0 is 4 and 5"},
		{"float32[4,n,6]", "float32[4,n,7]", "", "", "axis 2 is 6 and 7"},
		{"float32[4]", "float64[4]", "", "", "the types do not agree"},
		{"float32[4]", "float32[4,1]", "", "", "the types do not agree"},
		{"float32[4]", "!trigger", "", "", "the types do not agree"},
		{"!trigger", "!peers", "", "", "the types do not agree"},
	} {
		got, err := edgeType(typeOf(t, c.sent), typeOf(t, c.want))
		switch {
		case c.err != "":
			if err == nil || err.Error() != c.err {
				t.Errorf("%s for %s: got %v, want %s", c.sent, c.want, err, c.err)
			}
		case err != nil || got.String() != typeOf(t, c.edge).String() || c.edge != "float32[?]" && canonical(got) != c.canonical:
			t.Errorf("%s for %s: got %s (%s), %v, want %s (%s)", c.sent, c.want, got, canonical(got), err, c.edge, c.canonical)
		}
	}
}

func typeOf(t *testing.T, text string) ir.Type {
	t.Helper()
	x, err := ir.ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
