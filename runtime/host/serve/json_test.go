package serve

import (
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// port returns an input of any type with varying axes.
func port(d tensor.DType, rank int) model.Port {
	return model.Port{Name: "x", Type: d.String(), Elem: d, Dims: []string{"a", "b", "c", "d"}[:rank]}
}

// TestElements checks the encoding of elements of each type, and that it can be decoded.
func TestElements(t *testing.T) {
	all := map[tensor.DType]string{
		tensor.Float64:        `0.1,1e+300,"NaN"`,
		tensor.Float32:        `0.1,-0,"-Infinity"`,
		tensor.Float16:        `0.5,65504,"Infinity"`,
		tensor.BFloat16:       `0.5,3,"NaN"`,
		tensor.Float8E4M3FN:   `0.5,448,-1`,
		tensor.Float8E4M3FNUZ: `0.5,240,-1`,
		tensor.Float8E5M2:     `0.5,57344,-1`,
		tensor.Float8E5M2FNUZ: `0.5,57344,-1`,
		tensor.Float8E8M0:     `0.5,4,1`,
		tensor.Float4E2M1:     `0.5,6,-1.5`,
		tensor.Int64:          `9223372036854775807,-9223372036854775808,0`,
		tensor.Int32:          `2147483647,-2147483648,0`,
		tensor.Int16:          `32767,-32768,0`,
		tensor.Int8:           `127,-128,0`,
		tensor.Int4:           `7,-8,0`,
		tensor.Int2:           `1,-2,0`,
		tensor.Uint64:         `18446744073709551615,0,1`,
		tensor.Uint32:         `4294967295,0,1`,
		tensor.Uint16:         `65535,0,1`,
		tensor.Uint8:          `255,0,1`,
		tensor.Uint4:          `15,0,1`,
		tensor.Uint2:          `3,0,1`,
		tensor.Bool:           `true,false,true`,
		tensor.String:         `"a","\"[,]\"","é"`,
		tensor.Complex64:      `"(0.1+2i)","(0+0i)","(-1-1e+30i)"`,
		tensor.Complex128:     `"(0.1+2i)","(0+0i)","(-1-1e+300i)"`,
	}
	for d := tensor.Float32; d.Valid(); d++ {
		want, ok := all[d]
		if !ok {
			t.Errorf("%v has no case", d)
			continue
		}
		in, err := decodeInput([]byte(`{"shape":[3],"data":[`+want+`]}`), port(d, 1))
		if err != nil {
			t.Errorf("%v: %v", d, err)
			continue
		}
		b, err := appendTensor(nil, in)
		if got := string(b); err != nil || got != `{"dtype":"`+d.String()+`","shape":[3],"data":[`+want+`]}` {
			t.Errorf("%v: got %s, %v, want %s", d, got, err, want)
		}
	}
}

// tooMany is the error for a shape that no tensor can have on this machine.
func tooMany(shape []int) string {
	_, err := tensor.NumElements(shape)
	return err.Error()
}

func TestElementsRefused(t *testing.T) {
	for _, tt := range []struct {
		d         tensor.DType
		raw, want string
	}{
		{tensor.Uint8, `[256]`, "element 0 is 256, want uint8"},
		{tensor.Int4, `[0, 8]`, "element 1 is 8, want int4"},
		{tensor.Int64, `[1.0]`, "element 0 is 1.0, want int64"},
		{tensor.Bool, `[1]`, "element 0 is 1, want bool"},
		{tensor.String, `["\"", null]`, "element 1 is null, want string"},
		{tensor.Float32, `[true]`, "element 0 is true, want float32"},
		{tensor.Float32, `[{}]`, "element 0 is an object, want a number or a list"},
		{tensor.Float32, `[1, [2]]`, "element 1 is a list, want a number"},
		{tensor.Float32, `[[1], 2]`, "element 1 stands 1 lists deep, want 2"},
		{tensor.Float32, `[[], [1]]`, "a list that ends before element 1 has length 1, want 0 as the first at its depth"},
		{tensor.Float32, strings.Repeat("[", 65) + strings.Repeat("]", 65), "lists are nested more than 64 deep"},
		{tensor.Float32, `{"data": [[1, 2]], "shape": [2, 1]}`, "data is float32[1,2], want 2 elements for float32[2,1]"},
		{tensor.Float32, `{"data": 1, "rows": 2}`, `json: unknown field "rows"`},
		{tensor.Float32, `{"data": [], "shape": [0, 1000000000, 1000000000]}`, ""}, // no elements
		{tensor.Float32, `{"data": [], "shape": [1000000000, 1000000000]}`, tooMany([]int{1e9, 1e9})},
		{tensor.Undefined, `[]`, "is undefined, which JSON cannot carry here"},
	} {
		_, err := decodeInput([]byte(tt.raw), port(tt.d, 1))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%v %s: error %q, want %q", tt.d, tt.raw, got, tt.want)
		}
	}
}

func TestEncodeValues(t *testing.T) {
	one := tensor.Of([]int64{1})
	ports := []model.Port{{Name: `a"b`}, {Name: "seq"}, {Name: "opt"}, {Name: "none"}}
	ports = append(ports, model.Port{Name: "classes"}, model.Port{Name: "words"})
	classes := &tensor.Maps[int64]{Keys: []int64{3, -1}, Values: []float32{0.5, 1, 0, 2}}
	values := []tensor.Value{one, &tensor.Sequence{Items: []tensor.Value{one, one}}, &tensor.Optional{Value: one}, &tensor.Optional{},
		classes.Sequence(), tensor.MapOf([]string{`a"b`}, []string{"c"})}
	const is = `{"dtype":"int64","shape":[],"data":[1]}`
	want := `{"outputs":{"a\"b":` + is + `,"seq":[` + is + `,` + is + `],"opt":` + is + `,"none":null` +
		`,"classes":[{"3":0.5,"-1":1},{"3":0,"-1":2}],"words":{"a\"b":"c"}}}` + "\n"
	if got, err := encodeJSON(ports, values); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// FuzzDecodeJSON checks that no request makes the server panic, and that decoded inputs are encoded as an equal
// request.
func FuzzDecodeJSON(f *testing.F) {
	types := []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Uint8, tensor.Bool, tensor.String, tensor.Complex64}
	for i, data := range []string{`[[1, "NaN"]]`, `{"shape": [2, 1], "data": [0.5, -0]}`, `[]`, `{"shape": [0, 3], "data": []}`, `[[true], [false]]`, `[["a\"\\", "\u00e9]"]]`, `["(1+2i)"]`, `3`} {
		f.Add([]byte(`{"inputs": {"x": `+data+`}}`), uint8(i))
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		ports := []model.Port{port(types[int(which)%len(types)], 2)}
		in, err := decodeJSON(body, ports)
		if err != nil || check(ports, in) != nil {
			return
		}
		b, err := encodeJSON(ports, []tensor.Value{in[0]})
		if err != nil {
			t.Fatalf("%s cannot be written: %v", body, err)
		}
		again, err := decodeJSON([]byte(strings.Replace(string(b), "outputs", "inputs", 1)), ports)
		if err != nil || !tensor.Equal(in[0].(*tensor.Tensor), again[0].(*tensor.Tensor)) {
			t.Errorf("%s reads as %v, which is written as %s, which reads as %v, %v", body, in[0], b, again, err)
		}
	})
}

func BenchmarkDecodeJSON(b *testing.B) {
	body := []byte(`{"inputs": {"x": {"shape": [1, 784], "data": [` + strings.Repeat("0.12345678,", 783) + `0]}}}`)
	ports := []model.Port{port(tensor.Float32, 2)}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decodeJSON(body, ports); err != nil {
			b.Fatal(err)
		}
	}
}
