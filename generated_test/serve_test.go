package generated

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/generated_test/fails"
	"github.com/bbgen/bbgen/runtime/host/serve"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestServeFailingRun repeatedly sends impossible requests to a process that serves a model, in loops that
// several threads share. It answers with the node and the reason, and continues to answer.
func TestServeFailingRun(t *testing.T) {
	if os.Getenv("SERVE_FAILS") != "" {
		if err := serve.Command.Run(fails.Program(), []string{"-listen", "127.0.0.1:0", "-threads", "4"}, os.Stdout); err != nil {
			t.Fatal(err)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestServeFailingRun$")
	cmd.Env = append(os.Environ(), "SERVE_FAILS=1")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
	const n = 40
	for i := range 20 {
		d := failsDivisors(n)
		at, want := i*n*16*64/20, `{"error":"fails: node \"layer3.quotient\" (Div): integer division by zero"}`
		d[at] = 3
		if code, answer := ask(t, url, n, d); code != 400 || answer != want+"\n" {
			t.Fatalf("a zero at %d: got %d %.200s, want 400 %s", at, code, answer, want)
		}
		if code, answer := ask(t, url, n, failsDivisors(n)); code != 200 {
			t.Fatalf("after a zero at %d: got %d %.200s", at, code, answer)
		}
	}
}

// ask requests a run on n rows.
func ask(t *testing.T, url string, n int, d []int64) (code int, answer string) {
	t.Helper()
	type input struct {
		Shape []int   `json:"shape"`
		Data  []int64 `json:"data"`
	}
	body, err := json.Marshal(map[string]any{"inputs": map[string]input{
		"x":  {[]int{n, 16, 64}, tensor.Data[int64](failsX(n))},
		"d":  {[]int{n, 16, 64}, d},
		"at": {[]int{2}, []int64{0, 63}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url+"/run", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatalf("the server is gone: %v", err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}
