-- Lmod: save as plimsoll/VERSION.lua in a folder of MODULEPATH, beside nothing else; root is where the tarball was unpacked.
local root = "/opt/plimsoll-VERSION-linux-x64"

help([[Plimsoll measures, explains and improves I/O on parallel storage. Start with: plimsoll report LOG]])
whatis("Name: plimsoll")
whatis("Version: VERSION")
whatis("Description: reports on Darshan logs and traces, records programs, studies stores of file system counters")

prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
-- An empty entry stands for the pages of the system.
append_path("MANPATH", "")
