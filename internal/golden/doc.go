// Package golden runs tests whose inputs and expected outputs stand together
// in txtar files, one behaviour a file:
//
//	A sentence or two on what this shows.
//	-- in.ir --
//	…
//	-- out/dce --
//	…
//
// Sections below out/ are what the test computes. BBGEN_UPDATE=1 in the
// environment rewrites them; know why before, read the diff after.
package golden
