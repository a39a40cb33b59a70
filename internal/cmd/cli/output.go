package cli

import "os"

// CheckOutput refuses a file that cannot be written, or that is one of the inputs. It is
// asked before the work that the file is for: that may take long. Name is "" if there is
// no such file.
func CheckOutput(flag, name string, inputs ...string) error {
	st, err := os.Stat(name)
	if err != nil {
		return nil // nothing is there
	}
	if st.IsDir() {
		return Usagef("%s %s is a folder, want a file", flag, name)
	}
	for _, in := range inputs {
		if other, err := os.Stat(in); err == nil && os.SameFile(st, other) {
			return Usagef("%s %s would replace the input %s: give another file", flag, name, in)
		}
	}
	return nil
}

// CheckBinary is [CheckOutput] for a program, which is renamed to its name: it would take the place of a device or a pipe.
func CheckBinary(flag, name string, inputs ...string) error {
	if st, err := os.Stat(name); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
		return Usagef("%s %s is a device or a pipe, want a file", flag, name)
	}
	return CheckOutput(flag, name, inputs...)
}
