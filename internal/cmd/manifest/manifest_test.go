package manifest

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse([]byte(`# comment
- train: model.onnx
  epochs: 100
  standardize: true
  freeze: [conv1, conv2]

- bind: {batch: 1, seq: 128}
  generate: digits.onnx
  output: a b
`))
	want := []Step{
		{2, []string{"train", "model.onnx", "--epochs=100", "--standardize=true", "--freeze=conv1", "--freeze=conv2"}},
		{7, []string{"digits.onnx", "--bind=batch=1", "--bind=seq=128", "--output=a b"}},
	}
	if err != nil || !slices.EqualFunc(got, want, func(a, b Step) bool { return a.Line == b.Line && slices.Equal(a.Args, b.Args) }) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    `the file is empty, want a list of entries such as "- generate: model.onnx"`,
		"generate: model.onnx":                `line 1: want a list of entries such as "- generate: model.onnx"`,
		"- model.onnx":                        `line 1: want a verb with its input, such as "generate: model.onnx"`,
		"\n- output: x":                       `line 2: the entry has no verb, want one of generate, build, train, export`,
		"- generate: a\n  build: b":           `line 2: an entry has one verb: begin another with "- build:"`,
		"- generate: [a]":                     `line 1: generate: want the name of a file or a folder`,
		"- generate:":                         `line 1: generate: want the name of a file or a folder`,
		"- generate: a\n  o: x\n  o: y":       `line 3: "o" is there twice`,
		"- generate: a\n  bind: [[1]]":        `line 2: bind: want a word or a number here`,
		"- generate: a\n  bind: {b: [1]}":     `line 2: bind: want a word or a number here`,
		"- &x\n  generate: a\n- generate: *x": `line 3: generate: want the name of a file or a folder`,
		"- generate: &x a\n  output: *x":      `line 2: output: want a word, a number, a list or a map`,
		"- generate: {":                       `yaml: line 1: did not find expected node content`,
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("- generate: a\n  bind: {b: 1}\n  x: [y]"))
	f.Fuzz(func(t *testing.T, b []byte) { Parse(b) })
}
