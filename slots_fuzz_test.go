package bbgen

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/bbgen/bbgen/ir"
)

// FuzzTrainOptions: the training options of a binding are an error or options that have the same text form again, whatever
// the artifact has in their place.
func FuzzTrainOptions(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `null`, `[]`, `{"Loss":{"Name":"mse"}}`, `{"Optimizer":{"Name":"adam","Rate":0.01}}`, `{"Optimizer":null}`,
		`{"Optimizer":{"Name":"sgd","Rate":-1e999}}`, `{"optimizer":{"name":"sgd","Nesterov":false}}`, `{"Precision":3}`, `{"Luck":1}`,
	} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, trained bool) {
		var call *ir.Node
		if trained {
			call = &ir.Node{Op: "Step", Pos: "main.go:1"}
		}
		how, err := trainOptions(text, call)
		if err != nil {
			return
		}
		b, err := json.Marshal(how)
		if err != nil {
			t.Fatalf("%+v cannot be encoded: %v", how, err)
		}
		again, err := trainOptions(b, call)
		if err != nil {
			t.Fatalf("%s: encoded as %s, which is refused: %v", text, b, err)
		}
		if c, err := json.Marshal(again); err != nil || !reflect.DeepEqual(c, b) {
			t.Errorf("%s: got %s, and from that %s, %v", text, b, c, err)
		}
	})
}
