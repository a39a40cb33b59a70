package bind

import (
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/codegen/peerplan"
)

// own is a package with a type, as an author would write it.
var own = types.NewPackage("example.com/own", "own")

// named returns a type of that package.
func named(name string, underlying types.Type) *types.Named {
	return types.NewNamed(types.NewTypeName(token.NoPos, own, name, nil), underlying, nil)
}

// inGo returns a literal as text, without spaces.
func inGo(l peerplan.Literal) string {
	s := l.Prefix + l.Type + l.Text
	for _, f := range l.Fields {
		s += "{" + f.Name + ":" + inGo(f.Value) + "}"
	}
	for _, e := range l.Elems {
		s += "[" + inGo(e) + "]"
	}
	return s
}

// TestLiteral writes recorded values as Go: fields that are zero are left out, and what has no literal is an error that
// names the field.
func TestLiteral(t *testing.T) {
	number, word := types.Typ[types.Int], types.Typ[types.String]
	field := func(name string, t types.Type) *types.Var { return types.NewField(token.NoPos, own, name, t, false) }
	pair := named("Pair", types.NewStruct([]*types.Var{field("N", number), field("Word", word)}, nil))
	for _, c := range []struct {
		t     types.Type
		value string
		want  string
	}{
		{number, "7", "7"},
		{word, `"a\"b"`, `"a\"b"`},
		{types.NewSlice(number), "[1,2]", "[]int[1][2]"},
		{types.NewArray(number, 2), "[3,4]", "[2]int[3][4]"},
		{pair, `{"N":1,"Word":""}`, "Pair{N:1}"},
		{pair, "", "Pair"},
		{number, "null", ""},
		{types.NewSlice(pair), `[{"N":1},{"Word":"x"}]`, `[]Pair[Pair{N:1}][Pair{Word:"x"}]`},
		{types.NewSlice(types.NewSlice(number)), "[[1]]", "error: a list of []int cannot be written down"},
		{types.NewSlice(number), "7", "error: json: cannot unmarshal"},
		{pair, "7", "error: json: cannot unmarshal"},
		{types.NewMap(word, number), "{\"a\":1}", "error: a value of type map[string]int cannot be written down"},
		{named("Deep", types.NewStruct([]*types.Var{field("Map", types.NewMap(word, number))}, nil)), `{"Map":{"a":1}}`, "error: field Map: a value of type"},
		{types.NewSlice(named("Maps", types.NewMap(word, number))), `[{"a":1}]`, "error: a value of type"},
	} {
		l, err := literal(c.t, json.RawMessage(c.value))
		got := inGo(l)
		if err != nil {
			got = fmt.Sprintf("error: %v", err)
		}
		if got != c.want && (err == nil || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%v from %s is %q, want %q", c.t, c.value, got, c.want)
		}
	}
}

// TestHas compares the signatures of methods, whatever their parameters are called.
func TestHas(t *testing.T) {
	n := named("Strategy", types.NewStruct(nil, nil))
	receiver := types.NewVar(token.NoPos, own, "s", n)
	params := types.NewTuple(types.NewVar(token.NoPos, own, "round", types.Typ[types.Int]))
	n.AddMethod(types.NewFunc(token.NoPos, own, "Enter", types.NewSignatureType(receiver, nil, nil, params, nil, false)))
	for _, c := range []struct {
		methods map[string]string
		want    bool
	}{
		{map[string]string{"Enter": "func(int)"}, true},
		{map[string]string{"Enter": "func(string)"}, false},
		{map[string]string{"Enter": "func(int)", "Leave": "func(int)"}, false},
		{nil, true},
	} {
		if got := has(n, c.methods); got != c.want {
			t.Errorf("%v: got %v", c.methods, got)
		}
	}
}
