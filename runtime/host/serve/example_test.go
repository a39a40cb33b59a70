//go:build unix

package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"syscall"

	"github.com/bbgen/bbgen/runtime/host/serve"
	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// doubler is what bbgen generates of a model with one operator.
var doubler = model.Program{
	Name:    "doubler",
	Inputs:  []model.Port{{Name: "x", Type: "float32[n]", Elem: tensor.Float32, Dims: []string{"n"}}},
	Outputs: []model.Port{{Name: "y", Type: "float32[n]", Elem: tensor.Float32, Dims: []string{"n"}}},
	New:     func() (model.Session, error) { return new(doubling), nil },
}

type doubling struct{ y []float32 }

func (d *doubling) SetInput(_ int, v tensor.Value) error {
	d.y = append([]float32(nil), tensor.Data[float32](v.(*tensor.Tensor))...)
	return nil
}

func (d *doubling) Run() error {
	for i := range d.y {
		d.y[i] *= 2
	}
	return nil
}

func (d *doubling) Output(int) tensor.Value { return tensor.Of(d.y, len(d.y)) }

// The command serves until a signal ends it. It prints its address, as port 0 is any.
func Example() {
	r, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve.Command.Run(doubler, []string{"-listen", "127.0.0.1:0"}, stdout) }()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		log.Fatal(err)
	}
	url := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	answer, err := http.Post(url+"/run", "application/json", strings.NewReader(`{"inputs": {"x": [1, 2.5]}}`))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(os.Stdout, answer.Body); err != nil {
		log.Fatal(err)
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-ended)
	// Output:
	// {"outputs":{"y":{"dtype":"float32","shape":[2],"data":[2,5]}}}
	// <nil>
}
