package serve

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// two is a program with two outputs.
func two(t *testing.T) http.Handler {
	t.Helper()
	p := adder(1, nil)
	p.Outputs = append(p.Outputs, p.Outputs[0])
	p.Outputs[1].Name = "again"
	h, err := newHandler(p, options{concurrency: 1, maxRequest: 1 << 20, maxBodies: 8 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestInferOutputs: outputs come in the order in which they are asked for, each once, in JSON or behind it.
func TestInferOutputs(t *testing.T) {
	h := two(t)
	const input = `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]`
	const data = `"datatype":"FP32","shape":[1,2],"data":[1,2]}`
	const binary = `"datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}`
	const bytes = "\x00\x00\x80\x3f\x00\x00\x00\x40"
	for _, c := range []struct{ outputs, want string }{
		{``, `{"name":"sum",` + data + `,{"name":"again",` + data + "]}\n"},
		{`,"outputs":[]`, `{"name":"sum",` + data + `,{"name":"again",` + data + "]}\n"},
		{`,"outputs":[{"name":"again"}]`, `{"name":"again",` + data + "]}\n"},
		{`,"outputs":[{"name":"again"},{"name":"sum"}]`, `{"name":"again",` + data + `,{"name":"sum",` + data + "]}\n"},
		{`,"outputs":[{"name":"again","parameters":{"binary_data":true}},{"name":"sum"}]`, `{"name":"again",` + binary + `,{"name":"sum",` + data + `]}` + bytes},
		{`,"parameters":{"binary_data_output":true},"outputs":[{"name":"again","parameters":{"binary_data":false}},{"name":"sum"}]`, `{"name":"again",` + data + `,{"name":"sum",` + binary + `]}` + bytes},
		{`,"parameters":{"binary_data_output":true}`, `{"name":"sum",` + binary + `,{"name":"again",` + binary + `]}` + bytes + bytes},
	} {
		w := send(h, "POST", inferPath, input+c.outputs+"}")
		if want := `{"model_name":"adder","model_version":"1","outputs":[` + c.want; w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: got %d %q\nwant %q", c.outputs, w.Code, w.Body, want)
		}
	}
	for outputs, want := range map[string]string{
		`{"name":"sum"},{"name":"sum"}`:                  `output \"sum\" is there twice`,
		`{"name":"sum"},{"name":"again"},{"name":"sum"}`: `output \"sum\" is there twice`,
		strings.Repeat(`{"name":"sum"},`, 9999) + `{}`:   `output \"sum\" is there twice`,
		`{}`:             `there is no output \"\"; there are: sum, again`,
		`{"name":"SUM"}`: `there is no output \"SUM\"; there are: sum, again`,
		`{"name":"sum","parameters":{"binary_data":"no"}}`: `json: cannot unmarshal string into Go struct field`,
	} {
		w := send(h, "POST", inferPath, input+`,"outputs":[`+outputs+`]}`)
		if w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.60s: got %d %.200s, want 400 with %s", outputs, w.Code, w.Body, want)
		}
	}
}

// TestInferRefuses shows the answers to requests that are no JSON, and to shapes that are none.
func TestInferRefuses(t *testing.T) {
	h := two(t)
	for body, want := range map[string]string{
		``:   `unexpected end of JSON input`,
		`{`:  `unexpected end of JSON input`,
		`[]`: `json: cannot unmarshal array`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[-1,2],"data":[]}]}`:                                                       `input \"x\": `,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1000000000,1000000000,0],"data":[1]}]}`:                                   `data is float32[1], want 0 elements`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1000000000,1000000000],"data":[1]}]}`:                                     `has more than`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":-1}}]}`:                             `binary_data_size is -1, and 0 bytes are left behind the JSON`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":0}}]}`:                              `binary_data_size is 0, want 8 for 2 elements`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,"a"]}]}`:                                                   `input \"x\": element 1 is \"a\", want float32`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":null}]}`:                                                      `input \"x\": element 0 is null, want float32`,
		`{"inputs":[{"name":"x","datatype":"","shape":[1,2],"data":[1,2]}]}`:                                                         `datatype is \"\", want \"FP32\"`,
		`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `}]}`: `lists are nested more than 64 deep`,
	} {
		if w := send(h, "POST", inferPath, body); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.90s: got %d %s, want 400 with %s", body, w.Code, w.Body, want)
		}
	}
}

// TestOutputsThatAreNone: an output that no encoding has is an error of its request, with its name.
func TestOutputsThatAreNone(t *testing.T) {
	odd := &tensor.Tensor{Shape: []int{1}}
	ports := []model.Port{{Name: "y", Type: "tensor"}}
	for name, v := range map[string]tensor.Value{
		"a tensor":    odd,
		"a sequence":  &tensor.Sequence{Items: []tensor.Value{odd}},
		"an optional": &tensor.Optional{Value: odd},
		"a map":       &tensor.Map{Keys: tensor.Of([]int64{1}, 1), Values: odd},
	} {
		if b, err := encodeJSON(ports, []tensor.Value{v}); err == nil || !strings.HasPrefix(err.Error(), `output "y": is `) || !strings.HasSuffix(err.Error(), ", which JSON cannot carry here") {
			t.Errorf("%s: %s, %v", name, b, err)
		}
	}
	if b, err := encodeJSON(ports, []tensor.Value{nil}); err != nil || string(b) != `{"outputs":{"y":null}}`+"\n" {
		t.Errorf("nothing: %s, %v", b, err)
	}
	x := &inference{p: model.Program{Outputs: ports}, header: http.Header{}}
	if _, err := x.encode([]tensor.Value{tensor.MapOf([]int64{1}, []float32{2})}); err == nil || err.Error() != `output "y" is no tensor` {
		t.Errorf("KServe: %v", err)
	}
	keys := model.Port{Name: "x", Type: "map(float32,float32)", Key: tensor.Float32, Elem: tensor.Float32}
	if _, err := decodeMap([]byte(`{"1":2}`), keys); err == nil || err.Error() != "keys are float32, which JSON cannot carry here" {
		t.Errorf("keys: %v", err)
	}
	if err := check([]model.Port{{Name: "x", Type: "sequence(float32)"}}, nil); err == nil || err.Error() != `input "x" is sequence(float32): this server takes tensors and maps only` {
		t.Errorf("a sequence as input: %v", err)
	}
	if _, err := decodeInput([]byte(`[1]`), port(tensor.Complex64, 1)); err == nil || err.Error() != "element 0 is 1, want complex64" {
		t.Errorf("complex: %v", err)
	}
}

// TestModelsThatFail: what a model refuses is the client's error; what it breaks with is the server's, and the next request is
// answered by another session.
func TestModelsThatFail(t *testing.T) {
	var fail func() error
	h := server(t, adder(1, func() error {
		if fail != nil {
			return fail()
		}
		return nil
	}))
	for _, c := range []struct {
		fail func() error
		code int
		want string
	}{
		{nil, 200, `"data":[1,2]`},
		{func() error { return errors.New("a number is negative") }, 400, `{"error":"a number is negative"}`},
		{func() error { panic("a bug") }, 500, `{"error":"the model failed: a bug"}`},
		{func() error { var none []int; none[len(none)]++; return nil }, 500, `{"error":"the model failed: runtime error: index out of range [0] with length 0"}`},
	} {
		fail = c.fail
		if w := call(h, `{"inputs":{"x":[[1,2]]}}`); w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("got %d %s, want %d %s", w.Code, w.Body, c.code, c.want)
		}
		fail = nil
		if w := call(h, `{"inputs":{"x":[[3,4]]}}`); w.Code != 200 || !strings.Contains(w.Body.String(), `"data":[3,4]`) {
			t.Errorf("after %s: got %d %s", c.want, w.Code, w.Body)
		}
	}
}
