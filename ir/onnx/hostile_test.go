package onnx

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// TestNotAModel shows the errors for files in other formats.
func TestNotAModel(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"x.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "x.png: not an ONNX model: no valid protobuf message"},
		{"x.txt", "hello, world", "x.txt: not an ONNX model: no valid protobuf message"},
		{"empty.onnx", "", "empty.onnx: the file is empty, want an ONNX model"},
		{"graphless.onnx", "\x1a\x00", "graphless.onnx: not an ONNX model: neither ir_version nor graph"},
		{"cut.onnx", "\x08\x08\x3a\x7f", "cut.onnx: not an ONNX model: no valid protobuf message; the file may be cut short"},
		{"lfs.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "lfs.onnx: not an ONNX model: the file is a pointer of Git LFS: git lfs pull gets the model"},
		{"page.onnx", "<!DOCTYPE html>\n<html>", "page.onnx: not an ONNX model: the file is a web page: what was downloaded is not the model"},
		{"m.pt", "PK\x03\x04\x00\x00\x08", "m.pt: not an ONNX model: the file is an archive: want the model in it, or of a PyTorch file what torch.onnx.export writes"},
		{"m.onnx.gz", "\x1f\x8b\x08\x00", "m.onnx.gz: not an ONNX model: the file is compressed: unpack it first"},
	}
	for _, tt := range tests {
		_, err := Decode(tt.name, []byte(tt.content), nil)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestTruncated truncates models and flips their bytes: the result is an error that says so, or a complete
// module.
func TestTruncated(t *testing.T) {
	for _, b := range goldenModels(t) {
		for i := range b {
			checkDecode(t, b[:i])
			flipped := append([]byte{}, b...)
			flipped[i] ^= 1 << (i % 8)
			checkDecode(t, flipped)
		}
	}
}

// FuzzDecode decodes arbitrary bytes, which must not cause a panic.
func FuzzDecode(f *testing.F) {
	for _, b := range goldenModels(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkDecode(t, b) })
}

// checkDecode decodes bytes that may not be a model. Errors must be one line with the name of the file;
// modules must be valid for passes and can be written.
func checkDecode(t *testing.T, b []byte) {
	t.Helper()
	m, err := Decode("m.onnx", b, func(location string) (External, error) { return inMemory(location), nil })
	if err != nil {
		if s := err.Error(); !strings.HasPrefix(s, "m.onnx: ") || strings.Contains(s, "\n") {
			t.Errorf("error %q", s)
		}
		return
	}
	if err := ir.Verify(m); err != nil {
		t.Error(err)
	}
	b, err = Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if m, err = Decode("m.onnx", b, nil); err != nil {
		t.Fatal(err)
	}
	checkRoundTrip(t, m) // writing and reading does not change the module any more
}

// goldenModels are the models in testdata.
func goldenModels(t testing.TB) [][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if strings.HasSuffix(f.Name, ".textproto") {
				out = append(out, fromText(t, string(f.Data)))
			}
		}
	}
	return out
}

// TestDepth decodes deeply nested graphs and types.
func TestDepth(t *testing.T) {
	graph := func(depth int) string {
		s := "graph {"
		for range depth - 1 {
			s += `node { op_type: "If" attribute { name: "then_branch" type: GRAPH g {`
		}
		return s + strings.Repeat("}}}", depth-1) + "}"
	}
	typ := func(depth int) string {
		s := `graph { input { name: "x" type {`
		for range depth {
			s += "optional_type { elem_type {"
		}
		return s + "tensor_type { elem_type: 1 }" + strings.Repeat("}}", depth) + "}}}"
	}
	tests := []struct{ text, want string }{
		{graph(64), ""},
		{graph(65), "graphs are nested deeper than 64"},
		{graph(500), "graphs are nested deeper than 64"},
		{typ(64), ""},
		{typ(65), "types are nested deeper than 64"},
	}
	for i, tt := range tests {
		_, err := Decode("m.onnx", fromText(t, tt.text), nil)
		if got := fmt.Sprint(err); !strings.Contains(got, tt.want) || (err == nil) != (tt.want == "") {
			t.Errorf("%d: got %.200s, want %s", i, got, tt.want)
		}
	}
}

// TestBomb has functions that each call the next one twice: 2⁴⁰ nodes.
func TestBomb(t *testing.T) {
	const call = `node { op_type: "F0" domain: "d" }`
	for _, graphs := range []string{
		"graph { " + call + " }",
		"graph {} training_info { algorithm { " + call + " } }",
		"graph {} training_info { initialization { " + call + " } }",
	} {
		var s strings.Builder
		s.WriteString(graphs)
		for i := range 40 {
			call := fmt.Sprintf(`node { op_type: "F%d" domain: "d" }`, i+1)
			fmt.Fprintf(&s, `functions { name: "F%d" domain: "d" %s %s }`, i, call, call)
		}
		_, err := Decode("m.onnx", fromText(t, s.String()), nil)
		if want := `m.onnx: calls of functions stand for more than 4194304 nodes, with those of function "d:F19"`; fmt.Sprint(err) != want {
			t.Errorf("%s: got %v, want %s", graphs, err, want)
		}
	}
}

// TestManyNames uses one name for very many nodes of very many graphs.
func TestManyNames(t *testing.T) {
	g := &onnxpb.GraphProto{}
	for range 100_000 {
		g.Node = append(g.Node, &onnxpb.NodeProto{Name: proto.String("n"), OpType: proto.String("F")})
	}
	b, err := proto.Marshal(&onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: g})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode("m.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Main.Body.Nodes[99_999].Name, "n_99999"; got != want {
		t.Errorf("last node is %q, want %q", got, want)
	}
}
