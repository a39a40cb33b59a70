package section

import (
	"os"
	"runtime"
	"strings"
)

// Processor returns the name of the machine's processor as the system has it, or the architecture.
func Processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	return processor(string(b))
}

// processor returns the name in a text like /proc/cpuinfo. Names of virtual machines may hide the model, so the
// numbers that identify it follow.
func processor(info string) string {
	field := map[string]string{}
	for line := range strings.Lines(info) {
		name, value, found := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); found && field[name] == "" {
			field[name] = strings.TrimSpace(value)
		}
	}
	if field["model name"] == "" {
		return runtime.GOARCH
	}
	if field["cpu family"] == "" || field["model"] == "" {
		return field["model name"]
	}
	return field["model name"] + " (family " + field["cpu family"] + ", model " + field["model"] + ")"
}
