// Package golden runs tests with inputs and expected outputs in txtar files, with one behavior in each file:
//
//	A sentence or two on what this shows.
//	-- in.ir --
//	…
//	-- out/dce --
//	…
//
// Sections below out/ are computed by the test. BBGEN_UPDATE=1 in the environment rewrites them; know the
// reason first, and read the diff afterwards.
package golden
