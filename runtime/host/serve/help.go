package serve

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// maxShown is the maximum number of zeros in the example of an input.
const maxShown = 8

// help returns the page at /: plain text, for curl.
func help(p model.Program, host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "The model %q, compiled by bbgen from %s.\n\n", p.Name, p.Source)
	for _, x := range p.Inputs {
		fmt.Fprintf(&b, "input   %s %s\n", x.Name, x.Type)
	}
	for _, x := range p.Outputs {
		fmt.Fprintf(&b, "output  %s %s\n", x.Name, x.Type)
	}
	fmt.Fprintf(&b, "\nPOST /run computes the outputs:\n\n")
	fmt.Fprintf(&b, "  curl -H 'Content-Type: %s' http://%s/run -d '%s'\n", mimeJSON, host, exampleJSON(p))
	fmt.Fprintf(&b, "\nAn input is its shape and its elements, row by row, or lists in lists.\n")
	if isCut(p.Inputs) {
		fmt.Fprintf(&b, "In place of ... write the other elements.\n")
	}
	if len(p.Inputs) > 1 && !slices.ContainsFunc(p.Inputs, func(x model.Port) bool { return x.Key != tensor.Undefined }) {
		fmt.Fprintf(&b, "A file of numpy's savez(\"in.npz\", NAME=array, ...) with all inputs will do, too:\n\n")
		fmt.Fprintf(&b, "  curl -H 'Content-Type: %[1]s' -H 'Accept: %[1]s' http://%[2]s/run --data-binary @in.npz -o out.npz\n", mimeNPZ, host)
	}
	if len(p.Inputs) == 1 {
		fmt.Fprintf(&b, "A file with a TensorProto or numpy's .npy will do, too:\n\n")
		for _, f := range formats[1:] {
			if !f.single {
				continue
			}
			fmt.Fprintf(&b, "  curl -H 'Content-Type: %s' -H 'Accept: %s' http://%s/run --data-binary @FILE\n", f.mime, mimeJSON, host)
		}
	}
	fmt.Fprintf(&b, "\nAccept may ask for %s.\n", offer(len(p.Outputs)))
	fmt.Fprintf(&b, "GET /healthz says that the server is there, GET /metrics is for Prometheus, GET /openapi.json describes all paths.\n")
	fmt.Fprintf(&b, "KServe's protocol is below /v2: GET /v2/models/%s, POST /v2/models/%[1]s/infer.\n", url.PathEscape(p.Name))
	return b.Bytes()
}

// exampleJSON returns a request of zeros; varying sizes are 1.
func exampleJSON(p model.Program) string {
	inputs := make([]string, len(p.Inputs))
	for i, x := range p.Inputs {
		inputs[i] = fmt.Sprintf("%s: %s", appendString(nil, x.Name), examplePort(x))
	}
	return `{"inputs": {` + strings.Join(inputs, ", ") + "}}"
}

func examplePort(p model.Port) string {
	switch p.Key {
	case tensor.Undefined:
		return exampleInput(p)
	case tensor.String:
		return `{"KEY": ` + exampleElement(p) + `}`
	}
	return `{"0": ` + exampleElement(p) + `}`
}

// isCut reports whether an example lacks elements.
func isCut(ports []model.Port) bool {
	return slices.ContainsFunc(ports, func(p model.Port) bool {
		_, n := exampleShape(p)
		return p.Key == tensor.Undefined && n > maxShown
	})
}

// exampleShape returns the sizes of an input's example, and the number of its elements.
func exampleShape(p model.Port) (sizes []string, n int) {
	sizes, n = make([]string, len(p.Dims)), 1
	for i, d := range p.Dims {
		k, err := strconv.Atoi(d)
		if err != nil {
			k = 1
		}
		sizes[i] = strconv.Itoa(k)
		n *= k
	}
	return sizes, n
}

func exampleInput(p model.Port) string {
	sizes, n := exampleShape(p)
	data := strings.TrimSuffix(strings.Repeat(exampleElement(p)+", ", min(n, maxShown)), ", ")
	if n > maxShown {
		data += ", ..."
	}
	return fmt.Sprintf(`{"shape": [%s], "data": [%s]}`, strings.Join(sizes, ", "), data)
}

func exampleElement(p model.Port) string {
	switch p.Elem {
	case tensor.Bool:
		return "false"
	case tensor.String, tensor.Complex64, tensor.Complex128:
		return `"0"`
	}
	return "0"
}
