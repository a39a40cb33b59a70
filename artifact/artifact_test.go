package artifact_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact"
	"github.com/bbgen/bbgen/ir"
)

// A binding is read as it was written, and replaces the previous one of the slot.
func TestBind(t *testing.T) {
	m := &ir.Module{}
	if artifact.IsProgram(m) {
		t.Error("an empty module is a program")
	}
	artifact.SetProgram(m, "fedavg")
	want := artifact.Binding{Role: "model", Package: "example.com/m", Type: "Net", Value: json.RawMessage(`{"Rate":0.1}`), Needs: map[string]string{"Data": "data"}}
	artifact.Bind(m, "client", "model", artifact.Binding{Model: "old.onnx"})
	artifact.Bind(m, "client", "model", want)
	got, err := artifact.Bound(m, artifact.Key("client", "model"))
	if err != nil || !reflect.DeepEqual(got, &want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if !artifact.IsProgram(m) || len(m.Meta) != 2 || !artifact.IsBinding(m.Meta[1].Key) || artifact.IsBinding(m.Meta[0].Key) {
		t.Errorf("metadata are %v", m.Meta)
	}
	if none, err := artifact.Bound(m, artifact.Key("server", "model")); none != nil || err != nil {
		t.Errorf("of a slot without a binding: %v, %v", none, err)
	}
}

// TestParse checks the errors for malformed bindings.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		``:                                    `metadata "k" is no binding: EOF`,
		`[]`:                                  "cannot unmarshal array",
		`{"Modell":"m.onnx"}`:                 `unknown field "Modell"`,
		`{"Model":"m.onnx"} {}`:               "there is more behind it",
		`{"Model":"m.onnx"}]`:                 "there is more behind it",
		`{"Model":"m","Type":"T"}`:            `metadata "k" binds the file "m" and the type .T: want one of them`,
		`{"Needs":{"Data":7}}`:                "cannot unmarshal number",
		`{"Package":"p","Type":"T","Role":3}`: "cannot unmarshal number",
	} {
		if b, err := artifact.Parse("k", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", text, b, err, want)
		}
	}
}

// FuzzParse parses arbitrary strings without a panic. A binding is unchanged when it is written and read again.
func FuzzParse(f *testing.F) {
	f.Add(`{"Package":"p","Type":"T","Value":{"A":1},"Needs":{"F":"s"}}`)
	f.Add(`{"Model":"m.onnx","Train":{"Optimizer":{"Name":"adam"}}}`)
	f.Add(`{}{`)
	f.Fuzz(func(t *testing.T, text string) {
		b, err := artifact.Parse("k", text)
		if err != nil {
			return
		}
		m := &ir.Module{}
		artifact.Bind(m, "c", "s", *b)
		again, err := artifact.Bound(m, artifact.Key("c", "s"))
		if err != nil {
			t.Fatalf("%s: %v", m.Meta[0].Value, err)
		}
		one, _ := json.Marshal(b)
		two, _ := json.Marshal(again)
		if string(one) != string(two) {
			t.Errorf("%s becomes %s", one, two)
		}
	})
}
