package train

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
)

// Each fold has a validation; the results are the same again, their means are printed, and no files are left.
func TestFolds(t *testing.T) {
	csv := t.TempDir() + "/points.csv"
	var text strings.Builder
	text.WriteString("a,b,class\n")
	for range 4 {
		for _, line := range strings.Fields("1,1,1 2,0,1 -1,0,0 0,-1,0 1,2,1 -2,0,0") {
			text.WriteString(line + "\n")
		}
	}
	if err := os.WriteFile(csv, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) (int, string) {
		var out strings.Builder
		code := Do(program(nil, nil), append([]string{"-data", csv, "-batch", "4", "-epochs", "20"}, args...), &out, &out)
		return code, out.String()
	}
	code, out := do("-folds", "4", "-standardize")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); code != 0 || len(lines) != 5 || !strings.HasPrefix(lines[0], "fold 1 of 4: step ") || !strings.HasPrefix(lines[4], "mean of 4 folds: val loss ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if _, again := do("-folds", "4", "-standardize"); again != out {
		t.Errorf("the second time it prints %s, not %s", again, out)
	}
	var r Folds
	code, out = do("-folds", "3", "-json")
	if code != 0 || json.Unmarshal([]byte(out), &r) != nil || len(r.Folds) != 3 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	mean := 0.0
	for _, f := range r.Folds {
		mean += f.Loss / 3
	}
	if !(math.Abs(mean-r.Loss) <= 1e-9) || !(r.LossDeviation >= 0) {
		t.Errorf("the mean of %+v is %g", r, mean)
	}
	for _, bad := range []string{"1", "-1", "25", "2 -metrics m", "2 -resume", "2 -eval", "2 -find-lr"} {
		if code, out := do(append([]string{"-folds"}, strings.Fields(bad)...)...); code == 0 || !strings.Contains(out, "folds") {
			t.Errorf("-folds %s: exit code %d: %s", bad, code, out)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("it has written %v: %v", left, err)
	}
}
