package onnx_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// TestMutated compiles models in which fields were replaced by other well-formed ones. The result is code, or
// an error with one cause per line.
func TestMutated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, b := range smallModels(t) {
		for range 60 {
			p := &onnxpb.ModelProto{}
			if err := proto.Unmarshal(b, p); err != nil {
				t.Fatal(err)
			}
			for range 1 + rng.IntN(2) {
				mutate(rng, p)
			}
			if mutated, err := proto.Marshal(p); err == nil { // otherwise it is not UTF-8
				checkCompile(t, mutated)
			}
		}
	}
}

// TestOddDocs compiles a model whose documentation has characters that Go refuses in sources, and lines that look like
// directives.
func TestOddDocs(t *testing.T) {
	p := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(encoded(t, columns), p); err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{"a\x00b", "\ufeffa", "a\xff", "\x00", "a\r//go:embed x", "\n//go:embed x\n", "*/ x"} {
		for _, field := range []**string{&p.DocString, &p.Graph.DocString, &p.Graph.Input[0].DocString, &p.Graph.Output[0].DocString, &p.Graph.Node[0].DocString} {
			*field = &doc
		}
		b, err := proto.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := onnx.Decode("m.onnx", b, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := bbgen.Compile(m, bbgen.Config{Source: "m.onnx"})
		if err != nil {
			t.Errorf("%q: %v", doc, err)
			continue
		}
		for _, f := range r.Files {
			if bytes.Contains(f.Bytes(), []byte("\n//go:embed x")) {
				t.Errorf("%q: %s has a directive of the model", doc, f.Path)
			}
		}
	}
}

func checkCompile(t *testing.T, b []byte) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v\nmodel: %q", r, b)
		}
	}()
	m, err := onnx.Decode("m.onnx", b, nil)
	if err == nil {
		_, err = bbgen.Compile(m, bbgen.Config{Source: "m.onnx"})
	}
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(line, "m.onnx: ") || strings.Contains(line, "BUG") {
			t.Errorf("error %q", line)
		}
	}
}

// smallModels are the models of the generated packages.
func smallModels(t *testing.T) [][]byte {
	t.Helper()
	names, err := filepath.Glob("../../generated_test/*/model.ir")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d models, %v", len(names), err)
	}
	var out [][]byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ir.Parse(name, string(text))
		if err != nil {
			t.Fatal(err)
		}
		b, err := onnx.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
	return out
}

// field is a field of a message that is set.
type field struct {
	of protoreflect.Message
	fd protoreflect.FieldDescriptor
}

// fields returns the fields that are set in m and in the messages inside it.
func fields(m protoreflect.Message) []field {
	var out []field
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		out = append(out, field{m, fd})
		switch {
		case fd.Message() == nil:
		case fd.IsList():
			for i := range v.List().Len() {
				out = append(out, fields(v.List().Get(i).Message())...)
			}
		default:
			out = append(out, fields(v.Message())...)
		}
		return true
	})
	return out
}

// mutate changes one field of the graph.
func mutate(rng *rand.Rand, p *onnxpb.ModelProto) {
	all := fields(p.Graph.ProtoReflect())
	f := all[rng.IntN(len(all))]
	switch {
	case f.fd.IsList():
		mutateList(rng, f, all)
	case rng.IntN(5) == 0:
		f.of.Clear(f.fd)
	case f.fd.Message() == nil:
		f.of.Set(f.fd, scalar(rng, f.fd, f.of.Get(f.fd), all))
	}
}

func mutateList(rng *rand.Rand, f field, all []field) {
	l := f.of.Mutable(f.fd).List()
	n := l.Len()
	i, j := rng.IntN(n), rng.IntN(n)
	switch rng.IntN(6) {
	case 0:
		l.Truncate(n - 1)
	case 1:
		l.Append(l.Get(i))
	case 2:
		a, b := l.Get(i), l.Get(j)
		l.Set(i, b)
		l.Set(j, a)
	case 3:
		for range 20 {
			l.Append(l.Get(i))
		}
	default:
		if f.fd.Message() == nil {
			l.Set(i, scalar(rng, f.fd, l.Get(i), all))
		}
	}
}

var (
	oddInts = []int64{0, 1, -1, 2, 3, -2, 4, 5, 7, 8, 16, 17, 64, 255, 1 << 15, 1 << 20, 1<<31 - 1, 1 << 40, 1 << 62, -1 << 63, 1<<63 - 1}
	oddText = []string{"", "x", "Relu", "Add", "Concat", "Loop", "If", "Scan", "Reshape", "a/b", "../x", "\x00", "ü", "func", "axis", "batch"}
)

// scalar returns another value for a field of type fd: an unusual one, or the value of another field.
func scalar(rng *rand.Rand, fd protoreflect.FieldDescriptor, v protoreflect.Value, all []field) protoreflect.Value {
	n := oddInts[rng.IntN(len(oddInts))]
	switch fd.Kind() {
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(n)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(n))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rng.IntN(30)))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(oddBytes(rng, v.Bytes()))
	case protoreflect.StringKind:
		if f := all[rng.IntN(len(all))]; f.fd.Kind() == protoreflect.StringKind && !f.fd.IsList() {
			return f.of.Get(f.fd)
		}
		return protoreflect.ValueOfString(oddText[rng.IntN(len(oddText))])
	}
	return v
}

func oddBytes(rng *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	switch {
	case len(b) == 0 || rng.IntN(4) == 0:
		return []byte(oddText[rng.IntN(len(oddText))])
	case rng.IntN(2) == 0:
		return b[:rng.IntN(len(b))]
	}
	b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	return b
}
